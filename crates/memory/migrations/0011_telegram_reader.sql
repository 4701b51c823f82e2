-- Who reads what waits: it goes out only while this sender is somebody of the house. Nobody, in what a stranger is told.
ALTER TABLE telegram_outbox ADD COLUMN reader INTEGER;

-- The number of a person is the number of the chat with them.
UPDATE telegram_outbox SET reader = chat WHERE chat > 0;
