package petrichor.rpc;

/** Which servers may execute a call. */
public enum Locality {
    /** Only the owner of the database: the call needs its sequencer. */
    OWNER,

    /**
     * Any server; the one that receives it does, and forwards it if it turns out that it cannot.
     */
    ANY,

    /** Any server, but a short read: an owner with few calls under way answers it sooner. */
    ANY_SHORT
}
