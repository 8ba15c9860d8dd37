package petrichor.apps.builds;

/** The stages of a build, in their order. */
public enum BuildStage {
    /** Finds the interpreter and the package manager. */
    PREPARE,
    /** Installs the app's dependencies, or finds them in the cache. */
    DEPENDENCIES,
    /** Compiles, and runs the app's own build scripts. */
    COMPILE,
    /** Makes the result immutable and adds it to the cache. */
    PUBLISH
}
