{{/* Beside /tmp: what each part mounts, and where. A list of the root and the part. */}}
{{- define "tetrad.volumes" -}}
{{- $root := index . 0 -}}
{{- $part := index . 1 -}}
{{- $sources := $root.Values.sources -}}
{{- if has $part (list "generator" "practice" "bulk") }}
{{- if $sources.bucket }}
- volume: {name: cache, emptyDir: {sizeLimit: 20Gi}}
  mount: {name: cache, mountPath: /var/cache/tetrad}
{{- else if $sources.claim }}
- volume: {name: sources, persistentVolumeClaim: {claimName: {{ $sources.claim }}}}
  mount: {name: sources, mountPath: /var/lib/tetrad/sources, readOnly: {{ ne $part "generator" }}}
{{- end }}
{{- end }}
{{- if eq $part "bulk" }}
- volume: {name: shards, emptyDir: {sizeLimit: 20Gi}}
  mount: {name: shards, mountPath: /var/lib/tetrad/shards}
{{- end }}
{{- if eq $part "gateway" }}
{{- with $root.Values.gateway.models }}
- volume: {name: models, configMap: {name: {{ . }}}}
  mount: {name: models, mountPath: /etc/tetrad/models, readOnly: true}
{{- end }}
{{- with $root.Values.gateway.providerKeys }}
- volume: {name: provider-keys, secret: {secretName: {{ . }}, defaultMode: 288}}
  mount: {name: provider-keys, mountPath: /run/provider-keys, readOnly: true}
{{- end }}
{{- if $root.Values.gateway.days }}
- mount: {name: days, mountPath: /var/lib/tetrad/days}
{{- else }}
- volume: {name: days, emptyDir: {sizeLimit: 1Gi}}
  mount: {name: days, mountPath: /var/lib/tetrad/days}
{{- end }}
{{- end }}
{{- end }}
