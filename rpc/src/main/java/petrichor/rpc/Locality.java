package petrichor.rpc;

/** Servers that may execute a call. */
public enum Locality {
    /** Only the owner of the database: the call needs its sequencer. */
    OWNER,

    /** Any server: the receiving server executes it, and forwards it if that proves impossible. */
    ANY,

    /** Like {@link #ANY}, but a short read: an owner with few pending calls responds sooner. */
    ANY_SHORT
}
