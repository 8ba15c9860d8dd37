package petrichor.frontends.datastore;

import java.util.Map;
import java.util.function.Function;

/**
 * Something small that is served beside the API: health, metrics, version, the emulator's reset.
 *
 * @param method GET or POST
 * @param path exactly
 * @param guarded asks for the token, if there is one
 * @param answer runs on a thread that may wait; takes the query parameters
 */
public record Page(
        String method, String path, boolean guarded, Function<Map<String, String>, Answer> answer) {

    /**
     * @param status of HTTP
     * @param type the body's media type
     */
    public record Answer(int status, String type, String body) {
        public static Answer text(int status, String body) {
            return new Answer(status, "text/plain; charset=utf-8", body);
        }

        public static Answer json(int status, String body) {
            return new Answer(status, "application/json; charset=utf-8", body);
        }
    }
}
