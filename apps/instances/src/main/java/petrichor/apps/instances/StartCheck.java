package petrichor.apps.instances;

import java.util.Map;

/** When an instance that was started counts as ready. */
public sealed interface StartCheck {
    /** It accepts connections on its port. */
    record Listening() implements StartCheck {}

    /**
     * It answers a GET request, with any status: App Engine's warm-up request ({@code /_ah/warmup})
     * to instances with automatic scaling.
     */
    record Answering(String path, Map<String, String> headers) implements StartCheck {
        public Answering {
            headers = Map.copyOf(headers);
            HttpGet.check(path, headers);
        }
    }

    /**
     * It answers a GET request with a status from 200 to 299, or 404: App Engine's start request
     * ({@code /_ah/start}) to instances with basic and manual scaling. With another status, the
     * instance has failed.
     */
    record Starting(String path, Map<String, String> headers) implements StartCheck {
        public Starting {
            headers = Map.copyOf(headers);
            HttpGet.check(path, headers);
        }
    }
}
