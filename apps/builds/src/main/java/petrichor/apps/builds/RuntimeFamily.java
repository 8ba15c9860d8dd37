package petrichor.apps.builds;

/** The languages whose apps Petrichor builds and runs. */
public enum RuntimeFamily {
    PYTHON("Python"),
    NODE("Node.js"),
    GO("Go"),
    JAVA("Java");

    private final String title;

    RuntimeFamily(String title) {
        this.title = title;
    }

    /** Its name in messages. */
    public String title() {
        return title;
    }
}
