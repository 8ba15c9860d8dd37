package petrichor.cli.jobs;

/**
 * Former names of options and of their values, which are still accepted with a hint on standard
 * error.
 */
final class FormerNames {
    private FormerNames() {}

    static void hint(String former, String present) {
        System.err.println("petrichor: " + former + " is now " + present + "; use the new name");
    }
}
