package petrichor.apps.instances;

/** What separates and limits instances; each may be unavailable on a machine. */
public enum IsolationFeature {
    /** A user id per instance. */
    OWN_USER,
    /** Own mount, process and IPC namespaces: an instance sees only its own files and processes. */
    NAMESPACES,
    /** A limit on the memory of all processes of an instance together. */
    MEMORY_LIMIT,
    /** A limit on the processor time of all processes of an instance together. */
    CPU_LIMIT,
    /** A limit on the number of processes and threads of an instance. */
    PROCESS_LIMIT,
    /**
     * An instance reaches no other instance and no service of this machine but those that the
     * platform offers, and no other machine reaches it.
     */
    NETWORK,
    /** The kernel ends instances when the platform's process ends. */
    ENDS_WITH_PLATFORM
}
