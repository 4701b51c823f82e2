-- How often a message may have arrived without a word of it: once it is sent again, and then no more.
ALTER TABLE telegram_outbox ADD COLUMN doubts INTEGER NOT NULL DEFAULT 0;
