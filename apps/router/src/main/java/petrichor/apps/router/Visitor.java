package petrichor.apps.router;

/** The user of a request. */
public sealed interface Visitor {
    /** Not signed in. */
    record Anonymous() implements Visitor {}

    /**
     * @param admin whether the user administers the app
     */
    record SignedIn(String id, String email, boolean admin) implements Visitor {}
}
