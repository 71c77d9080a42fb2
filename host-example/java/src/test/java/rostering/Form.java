package rostering;

/** The two forms of a client. They pass the same tests. */
enum Form {
  CLIENT {
    @Override
    Rostering open(RosteringConfig config) {
      return RosteringClient.open(Service.WASM, config);
    }
  },
  DRIVER {
    @Override
    Rostering open(RosteringConfig config) {
      return RosteringDriver.open(Service.WASM, config);
    }
  };

  abstract Rostering open(RosteringConfig config);
}
