"""Alembic's environment: migrations run on the connection that `upgrade` hands over, in its transaction."""

from alembic import context

from api.database.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
