{{/* The beginning of every name: the release's, with `tetrad` where it does not say so itself. */}}
{{- define "tetrad.name" -}}
{{- if contains "tetrad" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-tetrad" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{/* What selects the pods of a part: a list of the root and the part's name. */}}
{{- define "tetrad.selector" -}}
app.kubernetes.io/name: tetrad
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "tetrad.labels" -}}
{{ include "tetrad.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Values.images.tag | trunc 63 | trimAll "-._" | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: tetrad-{{ (index . 0).Chart.Version }}
{{- end }}

{{- define "tetrad.podLabels" -}}
{{ include "tetrad.selector" . }}
{{- with (index . 0).Values.pods.labels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* An image of ours, by the name that deploy/docker-bake.json gives it. */}}
{{- define "tetrad.image" -}}
{{- $root := index . 0 -}}
{{ $root.Values.images.registry }}tetrad-{{ index . 1 }}:{{ required "images.tag: name the tag of the images that you built" $root.Values.images.tag }}
{{- end }}

{{/* What all pods have: no token, no variables of other services' addresses, no root, a seccomp profile. */}}
{{- define "tetrad.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.images.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.pods.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.pods.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.pods.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "tetrad.container" -}}
imagePullPolicy: {{ .Values.images.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  runAsNonRoot: true
  capabilities: {drop: [ALL]}
  seccompProfile: {type: RuntimeDefault}
{{- end }}

{{/* The folder for temporary files, the one place that every container may write to. */}}
{{- define "tetrad.temporary" -}}
- {name: temporary, emptyDir: {sizeLimit: 2Gi}}
{{- end }}
