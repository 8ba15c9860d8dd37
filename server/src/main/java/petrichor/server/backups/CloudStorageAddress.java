package petrichor.server.backups;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * A place in Google Cloud Storage: {@code gs://BUCKET/PREFIX?endpoint=URL}. With an endpoint, in
 * another server with the same API.
 *
 * @param prefix of all names in the bucket, without slashes at its ends; may be empty
 */
record CloudStorageAddress(String bucket, String prefix, Optional<URI> endpoint) {
    static final String SCHEME = "gs://";

    private static final Pattern ADDRESS =
            Pattern.compile(
                    "gs://([a-z0-9][a-z0-9._-]{1,220}[a-z0-9])(/[^?]*)?(?:\\?endpoint=(.+))?");

    /** INVALID_ARGUMENT if the text is not such an address. */
    static CloudStorageAddress parse(String text) {
        Matcher matcher = ADDRESS.matcher(text);
        if (!matcher.matches()) {
            throw invalid(text);
        }
        String path = matcher.group(2) == null ? "" : matcher.group(2);
        return new CloudStorageAddress(
                matcher.group(1),
                path.replaceAll("^/+|/+$", ""),
                Optional.ofNullable(matcher.group(3)).map(url -> http(text, url)));
    }

    private static URI http(String text, String url) {
        try {
            URI parsed = URI.create(URLDecoder.decode(url, StandardCharsets.UTF_8));
            if (parsed.getHost() != null
                    && parsed.getUserInfo() == null
                    && parsed.getQuery() == null
                    && ("https".equals(parsed.getScheme()) || "http".equals(parsed.getScheme()))) {
                return parsed;
            }
        } catch (IllegalArgumentException malformed) {
            // reported below
        }
        throw invalid(text);
    }

    private static PetrichorException invalid(String text) {
        return PetrichorException.invalid(
                "{address} is not the address of a bucket; write gs://BUCKET/PREFIX?endpoint=URL,"
                        + " of which only the bucket is required",
                "address",
                text);
    }

    /** The name of an object in the bucket. */
    String object(String name) {
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    /** Without the endpoint. */
    @Override
    public String toString() {
        return SCHEME + bucket + "/" + prefix;
    }
}
