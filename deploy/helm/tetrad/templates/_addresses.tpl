{{/* Addresses of servers that the operator runs. Passwords are variables of the same container: $(DATABASE_PASSWORD). */}}
{{- define "tetrad.databaseUrl" -}}
{{- $root := index . 0 -}}
{{- $database := $root.Values.database -}}
postgresql+psycopg://{{ index . 1 }}:$(DATABASE_PASSWORD)@{{ required "database.host: the address of Postgres" $database.host }}:{{ $database.port }}/{{ index . 2 }}{{ with $database.parameters }}?{{ . }}{{ end }}
{{- end }}

{{- define "tetrad.redisUrl" -}}
{{- $redis := (index . 0).Values.redis -}}
redis{{ if $redis.tls }}s{{ end }}://{{ if $redis.users }}{{ index . 1 }}{{ end }}:$(REDIS_PASSWORD)@{{ required "redis.host: the address of Redis or Valkey" $redis.host }}:{{ $redis.port }}/{{ index . 2 }}
{{- end }}

{{- define "tetrad.serviceUrl" -}}
http://{{ include "tetrad.name" (index . 0) }}-{{ index . 1 }}:8000
{{- end }}

{{/* The stores of sources: what was added or made first, then what the image brings. */}}
{{- define "tetrad.sourcesUrl" -}}
{{- if and .Values.sources.bucket .Values.sources.claim }}{{ fail "sources: name a bucket or a claim, not both" }}{{ end -}}
{{- if .Values.sources.bucket }}{{ .Values.sources.bucket }},{{ else if .Values.sources.claim }}file:///var/lib/tetrad/sources,{{ end -}}
file:///var/lib/tetrad/built-in
{{- end }}

{{- define "tetrad.objects" -}}
AWS_ENDPOINT_URL_S3: {{ required "objects.endpoint: the address of the object store" .Values.objects.endpoint | quote }}
AWS_DEFAULT_REGION: {{ .Values.objects.region | quote }}
AWS_REQUEST_CHECKSUM_CALCULATION: {{ .Values.objects.checksums }}
AWS_RESPONSE_CHECKSUM_VALIDATION: {{ .Values.objects.checksums }}
{{- end }}
