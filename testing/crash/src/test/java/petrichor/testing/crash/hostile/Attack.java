package petrichor.testing.crash.hostile;

/** Something that once stopped, filled or killed a server. */
interface Attack {
    /**
     * Once; repeated as long as it is this attack's turn. What the server answers is its affair.
     */
    void strike(Target target) throws Exception;

    default String name() {
        return getClass().getSimpleName();
    }
}
