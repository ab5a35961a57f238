"""Mine analogies from annotated situations: the job `situations`, its stages, and the columns that they work on."""
