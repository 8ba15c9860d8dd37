package petrichor.services.fetch;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * A request of an app.
 *
 * @param url absolute, with the scheme http or https
 * @param headers as the app set them; those that belong to the platform are removed
 * @param payload empty if there is none; ignored for methods without a body
 * @param deadline for the whole fetch, with redirects
 */
public record FetchRequest(
        Method method,
        String url,
        List<HeaderField> headers,
        byte[] payload,
        Set<Option> options,
        Duration deadline) {
    public FetchRequest {
        headers = List.copyOf(headers);
        options = Set.copyOf(options);
    }

    /** The methods that App Engine and Cloud Tasks support. */
    public enum Method {
        GET,
        POST,
        HEAD,
        PUT,
        DELETE,
        PATCH,
        /** Only tasks send it. */
        OPTIONS;

        boolean hasBody() {
            return this == POST || this == PUT || this == PATCH;
        }

        /** Whether a redirect other than 307 and 308 keeps the method. */
        boolean isKept() {
            return this == GET || this == HEAD;
        }
    }

    /** What an app may switch. */
    public enum Option {
        FOLLOW_REDIRECTS,
        /** Refuse servers whose certificate is not valid for their name. */
        VALIDATE_CERTIFICATE
    }

    boolean has(Option option) {
        return options.contains(option);
    }
}
