-- What whoever asked came in by: the id of their token, their sender, a hook. What it set off stops when it is taken back.
ALTER TABLE turns ADD COLUMN came_by TEXT;
