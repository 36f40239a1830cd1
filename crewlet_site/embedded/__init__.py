"""The Postgres and the Valkey of a data directory, for deployments that bring none of their own.

`servers.use(data_dir)` starts what is not running and keeps it for as long as somebody uses it: `up`, or a command
of its own duration. Each server has a keeper, a small process that is its parent and stops it when the last user
has gone, however that user ended. Both listen on a socket file inside the data directory and on no port, so data
directories cannot meet. No module here imports Django.
"""
