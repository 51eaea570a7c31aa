"""What people look at: the inspection page, the report with its figures and player."""
