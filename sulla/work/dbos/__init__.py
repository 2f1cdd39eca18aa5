"""Work shared by many processes: DBOS on a PostgreSQL says who looks at a log; the store's lease says who may write."""
