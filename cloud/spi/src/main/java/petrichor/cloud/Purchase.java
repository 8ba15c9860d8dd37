package petrichor.cloud;

/** By which market a machine is leased. */
public enum Purchase {
    ON_DEMAND,
    /** Cheaper, and taken away when somebody pays more or the cloud needs it. */
    SPOT
}
