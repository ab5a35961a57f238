{{/*
What each part reads: `secrets` are variables that its Secret has under the same names, `plain` the others.
A value of `environment` comes after them and takes their place.
*/}}
{{- define "tetrad.environment.api" -}}
secrets: [DATABASE_PASSWORD, REDIS_PASSWORD, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, TETRAD_API_GENERATOR_PRACTICE_TOKEN, TETRAD_API_GENERATOR_SEALED_TOKEN, TETRAD_API_GATEWAY_TOKEN, TETRAD_API_LEDGER_TOKEN, TETRAD_API_METRICS_TOKEN{{ if .Values.operatorTokens }}, TETRAD_API_OPERATOR_TOKEN{{ end }}]
plain:
  WORKERS: {{ .Values.api.workers | quote }}
  STOP_SECONDS: {{ .Values.api.stopSeconds | quote }}
  {{- include "tetrad.environment.ofBoth" . | nindent 2 }}
  TETRAD_API_PRACTICE_URL: {{ include "tetrad.serviceUrl" (list . "practice") }}
  TETRAD_API_BULK_ROLE: bulk
  TETRAD_API_BULK_REDIS_URL: {{ include "tetrad.redisUrl" (list . "api" "1") | quote }}
  TETRAD_API_DATASETS_STORE_URL: {{ .Values.objects.datasets | quote }}
  TETRAD_API_DATASETS_ENDPOINT: {{ .Values.objects.readers | quote }}
  TETRAD_API_GATEWAY_PUBLIC_URL: {{ .Values.gateway.publicUrl | quote }}
  TETRAD_API_PUBLIC_URL: {{ .Values.publicUrl | quote }}
  TETRAD_API_LOOPBACK_URL: http://127.0.0.1:8000
  TETRAD_API_TRUSTED_PROXIES: {{ include "tetrad.trustedProxies" . | quote }}
{{- end }}

{{- define "tetrad.trustedProxies" -}}
{{- if or .Values.ingress.enabled .Values.httpRoute.enabled }}{{ required "api.trustedProxies: the networks that the ingress comes from; without them all clients share one limit" .Values.api.trustedProxies }}{{ else }}{{ .Values.api.trustedProxies }}{{ end -}}
{{- end }}

{{/* Of the api and its worker. */}}
{{- define "tetrad.environment.ofBoth" -}}
TETRAD_API_DATABASE_URL: {{ include "tetrad.databaseUrl" (list . "api" .Values.database.api) | quote }}
TETRAD_API_REDIS_URL: {{ include "tetrad.redisUrl" (list . "api" "0") | quote }}
TETRAD_API_STORE_URL: {{ .Values.objects.reports | quote }}
TETRAD_API_GENERATOR_URL: {{ include "tetrad.serviceUrl" (list . "generator") }}
TETRAD_API_GATEWAY_URL: {{ include "tetrad.serviceUrl" (list . "gateway") }}
TETRAD_API_SCORING_ROLE: scoring
{{ include "tetrad.objects" . }}
{{- end }}

{{/* It signs tokens of teams, and has no token of operators nor the ledger's. */}}
{{- define "tetrad.environment.evaluations" -}}
secrets: [DATABASE_PASSWORD, REDIS_PASSWORD, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, TETRAD_API_GENERATOR_PRACTICE_TOKEN, TETRAD_API_GENERATOR_SEALED_TOKEN, TETRAD_API_GATEWAY_TOKEN_SECRETS, TETRAD_API_METRICS_TOKEN]
plain:
  {{- include "tetrad.environment.ofBoth" . | nindent 2 }}
  TETRAD_API_EVALUATION_HEARTBEAT_FILE: /tmp/heartbeat
  TETRAD_API_METRICS_ADDRESS: 0.0.0.0:9100
{{- end }}

{{- define "tetrad.environment.generator" -}}
secrets: [DATABASE_PASSWORD, TETRAD_GENERATOR_SEED_SECRET, TETRAD_GENERATOR_PRACTICE_TOKEN, TETRAD_GENERATOR_SEALED_TOKEN, TETRAD_GENERATOR_KEYS_TOKEN, TETRAD_GENERATOR_METRICS_TOKEN{{ if .Values.sources.bucket }}, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY{{ end }}]
plain:
  WORKERS: {{ .Values.generator.workers | quote }}
  STOP_SECONDS: {{ .Values.generator.stopSeconds | quote }}
  TETRAD_GENERATOR_ROLE: sealed
  TETRAD_GENERATOR_DATABASE_URL: {{ include "tetrad.databaseUrl" (list . "generator" .Values.database.generator) | quote }}
  {{- include "tetrad.environment.sources" (list . "GENERATOR") | nindent 2 }}
{{- end }}

{{/* The generator's program without a secret of sealed draws and without a database. */}}
{{- define "tetrad.environment.practice" -}}
secrets: [TETRAD_GENERATOR_PRACTICE_TOKEN, TETRAD_GENERATOR_METRICS_TOKEN{{ if .Values.sources.bucket }}, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY{{ end }}]
plain:
  WORKERS: {{ .Values.practice.workers | quote }}
  STOP_SECONDS: {{ .Values.practice.stopSeconds | quote }}
  TETRAD_GENERATOR_ROLE: practice
  {{- include "tetrad.environment.sources" (list . "GENERATOR") | nindent 2 }}
{{- end }}

{{- define "tetrad.environment.sources" -}}
TETRAD_{{ index . 1 }}_SOURCES_URL: {{ include "tetrad.sourcesUrl" (index . 0) | quote }}
TETRAD_{{ index . 1 }}_SOURCES_CACHE: {{ if (index . 0).Values.sources.bucket }}/var/cache/tetrad{{ else }}""{{ end }}
{{- if (index . 0).Values.sources.bucket }}
{{ include "tetrad.objects" (index . 0) }}
{{- end }}
{{- end }}

{{- define "tetrad.environment.bulk" -}}
secrets: [DATABASE_PASSWORD, REDIS_PASSWORD, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, TETRAD_BULK_METRICS_TOKEN]
plain:
  TETRAD_BULK_DATABASE_URL: {{ include "tetrad.databaseUrl" (list . "bulk" .Values.database.api) | quote }}
  TETRAD_BULK_REDIS_URL: {{ include "tetrad.redisUrl" (list . "bulk" "1") | quote }}
  TETRAD_BULK_STORE_URL: {{ .Values.objects.datasets | quote }}
  TETRAD_BULK_WORK_FOLDER: /var/lib/tetrad/shards
  TETRAD_BULK_HEARTBEAT_FILE: /tmp/heartbeat
  TETRAD_BULK_METRICS_ADDRESS: 0.0.0.0:9100
  {{- include "tetrad.environment.sources" (list . "BULK") | nindent 2 }}
  {{- if not .Values.sources.bucket }}
  {{- include "tetrad.objects" . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "tetrad.environment.scoring" -}}
secrets: [DATABASE_PASSWORD, REDIS_PASSWORD, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, TETRAD_SCORING_GENERATOR_KEYS_TOKEN, TETRAD_SCORING_GATEWAY_TOKEN, TETRAD_SCORING_METRICS_TOKEN]
plain:
  TETRAD_SCORING_DATABASE_URL: {{ include "tetrad.databaseUrl" (list . "scoring" .Values.database.api) | quote }}
  TETRAD_SCORING_REDIS_URL: {{ include "tetrad.redisUrl" (list . "scoring" "0") | quote }}
  TETRAD_SCORING_STORE_URL: {{ .Values.objects.reports | quote }}
  TETRAD_SCORING_GENERATOR_URL: {{ include "tetrad.serviceUrl" (list . "generator") }}
  TETRAD_SCORING_GATEWAY_URL: {{ include "tetrad.serviceUrl" (list . "gateway") }}
  TETRAD_SCORING_JUDGE_MODEL: {{ .Values.scoring.judgeModel | quote }}
  TETRAD_SCORING_HEARTBEAT_FILE: /tmp/heartbeat
  TETRAD_SCORING_METRICS_ADDRESS: 0.0.0.0:9100
  {{- include "tetrad.objects" . | nindent 2 }}
{{- end }}

{{- define "tetrad.environment.gateway" -}}
secrets: [REDIS_PASSWORD, TETRAD_GATEWAY_TOKENS, TETRAD_GATEWAY_TOKEN_SECRETS, TETRAD_GATEWAY_LEDGER_TOKEN, TETRAD_GATEWAY_METRICS_TOKEN]
plain:
  WORKERS: "1"
  STOP_SECONDS: {{ .Values.gateway.stopSeconds | quote }}
  TETRAD_GATEWAY_API_URL: {{ include "tetrad.serviceUrl" (list . "api") }}
  TETRAD_GATEWAY_REDIS_URL: {{ include "tetrad.redisUrl" (list . "gateway" "0") | quote }}
  TETRAD_GATEWAY_ALONE: "false"
  TETRAD_GATEWAY_MODELS_FILE: {{ if .Values.gateway.models }}/etc/tetrad/models/models.toml{{ else }}""{{ end }}
  TETRAD_GATEWAY_DAYS_FOLDER: /var/lib/tetrad/days
{{- end }}

{{/* The variables of a container: a list of the root, the part, and a dictionary with `secrets`, `plain`, `own`. */}}
{{- define "tetrad.variables" -}}
{{- $root := index . 0 -}}
{{- $secret := index $root.Values.secrets (index . 1) -}}
{{- $given := index . 2 -}}
{{- range $given.secrets }}
- {name: {{ . }}, valueFrom: {secretKeyRef: {name: {{ $secret }}, key: {{ . }}}}}
{{- end }}
{{- $plain := merge (dict) ($given.own | default dict) $given.plain }}
{{- if $root.Values.traces.endpoint }}
{{- $_ := set $plain "OTEL_EXPORTER_OTLP_ENDPOINT" $root.Values.traces.endpoint }}
{{- $_ := set $plain "OTEL_TRACES_SAMPLER_ARG" $root.Values.traces.share }}
{{- end }}
{{- range $name, $value := $plain }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end }}
