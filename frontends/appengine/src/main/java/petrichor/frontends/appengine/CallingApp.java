package petrichor.frontends.appengine;

import java.util.regex.Pattern;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The app that sent a call, according to the ticket of the request that it is handling.
 *
 * @param project the app's id without a partition prefix such as {@code s~}; also the project of
 *     its entities
 * @param service such as {@code default}
 * @param version such as {@code v1}
 * @param origin where the user has sent the request, such as {@code https://demo.example}; empty if
 *     that is not known
 */
public record CallingApp(String project, String service, String version, String origin) {
    public static final String DEFAULT_SERVICE = "default";
    public static final String DEFAULT_VERSION = "v1";

    private static final Pattern PROJECT = Pattern.compile("[A-Za-z\\d.\\-_:]{1,100}");
    private static final Pattern PARTITION = Pattern.compile("^[A-Za-z\\d\\-]{1,100}~");

    public CallingApp {
        if (!PROJECT.matcher(project).matches()) {
            throw PetrichorException.invalid(
                    "\"{project}\" is not the id of an app: it must consist of 1 to 100 letters,"
                            + " digits, '.', ':', '-' and '_'",
                    "project",
                    project);
        }
    }

    public CallingApp(String project, String service, String version) {
        this(project, service, version, "");
    }

    public static CallingApp of(String project) {
        return new CallingApp(project, DEFAULT_SERVICE, DEFAULT_VERSION);
    }

    /** The project of an app id as messages contain it: {@code s~demo} is {@code demo}. */
    public static String project(String appId) {
        return PARTITION.matcher(appId).replaceFirst("");
    }

    /**
     * PERMISSION_DENIED if a message names another app: the ticket alone decides whose data a call
     * may use.
     *
     * @param appId with or without a partition prefix; empty for the calling app
     */
    public void require(String appId) {
        if (!appId.isEmpty() && !project(appId).equals(project)) {
            throw PetrichorException.of(
                    ErrorCode.PERMISSION_DENIED,
                    "the app {project} cannot use data of the app {appId}",
                    "project",
                    project,
                    "appId",
                    appId);
        }
    }
}
