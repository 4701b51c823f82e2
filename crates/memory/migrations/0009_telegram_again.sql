-- A request that was cut and left nothing behind is begun anew, once: what ends the daemon must not end it for ever.
ALTER TABLE telegram_updates ADD COLUMN again INTEGER NOT NULL DEFAULT 0 CHECK (again IN (0, 1));
