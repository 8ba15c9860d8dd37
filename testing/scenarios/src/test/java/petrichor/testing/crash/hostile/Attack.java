package petrichor.testing.crash.hostile;

/** An attack that once stopped, filled or crashed a server. */
interface Attack {
    /**
     * Runs the attack once; called repeatedly during the attack's turn. The server's answer does
     * not matter.
     */
    void strike(Target target) throws Exception;

    default String name() {
        return getClass().getSimpleName();
    }
}
