package petrichor.apps.manifest;

/** The languages that apps are built and run with, and the prefixes of their runtimes' names. */
public enum Language {
    PYTHON("python"),
    NODE("nodejs"),
    GO("go"),
    JAVA("java");

    private final String prefix;

    Language(String prefix) {
        this.prefix = prefix;
    }

    /** The start of App Engine's names: {@code python} of {@code python313}. */
    public String prefix() {
        return prefix;
    }
}
