-- When a page says that it was published, as it is written there. Of texts from before, the next reading says it.
ALTER TABLE extract ADD COLUMN published TEXT;
