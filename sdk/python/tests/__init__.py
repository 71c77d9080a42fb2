PATIENCE = 20.0  # seconds; bounds every wait
