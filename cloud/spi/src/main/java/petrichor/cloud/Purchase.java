package petrichor.cloud;

/** The market on which a machine is leased. */
public enum Purchase {
    ON_DEMAND,
    /** Cheaper, and reclaimed when another customer pays more or the cloud needs it. */
    SPOT
}
