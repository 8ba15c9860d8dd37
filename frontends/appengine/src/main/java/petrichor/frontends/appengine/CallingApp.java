package petrichor.frontends.appengine;

/**
 * The app that sent a call, according to the ticket of the request that it is handling.
 *
 * @param project the app's id without a partition prefix such as {@code s~}; also the project of its
 *     entities
 * @param service such as {@code default}
 * @param version such as {@code v1}
 */
public record CallingApp(String project, String service, String version) {
    public static final String DEFAULT_SERVICE = "default";
    public static final String DEFAULT_VERSION = "v1";

    public static CallingApp of(String project) {
        return new CallingApp(project, DEFAULT_SERVICE, DEFAULT_VERSION);
    }
}
