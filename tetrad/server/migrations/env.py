"""Alembic's environment: migrations run on the connection that `migrate` hands over, in its transaction."""

from alembic import context

attributes = context.config.attributes
context.configure(
    connection=attributes["connection"], version_table=attributes["version_table"], transactional_ddl=True
)
with context.begin_transaction():
    context.run_migrations()
