package petrichor.services.blobs.s3;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * Where contents are: {@code s3://BUCKET/PREFIX?region=REGION&endpoint=URL}. Without an endpoint,
 * in Amazon S3.
 *
 * @param prefix of all names in the bucket, without slashes at its ends; may be empty
 */
public record S3Address(String bucket, String prefix, String region, Optional<URI> endpoint) {
    private static final String STANDARD_REGION = "us-east-1";
    private static final Pattern ADDRESS =
            Pattern.compile("s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(/[^?]*)?(?:\\?(.*))?");

    /** INVALID_ARGUMENT if the text is not such an address. */
    public static S3Address parse(String text) {
        Matcher matcher = ADDRESS.matcher(text);
        if (!matcher.matches()) {
            throw invalid(text);
        }
        Map<String, String> options = options(text, matcher.group(3));
        String region = options.remove("region");
        String endpoint = options.remove("endpoint");
        if (!options.isEmpty()) {
            throw invalid(text);
        }
        String path = matcher.group(2) == null ? "" : matcher.group(2);
        return new S3Address(
                matcher.group(1),
                path.replaceAll("^/+|/+$", ""),
                region == null ? STANDARD_REGION : region,
                Optional.ofNullable(endpoint).map(url -> http(text, url)));
    }

    private static Map<String, String> options(String text, @Nullable String query) {
        Map<String, String> options = new HashMap<>();
        if (query == null || query.isEmpty()) {
            return options;
        }
        for (String option : query.split("&", -1)) {
            int equals = option.indexOf('=');
            if (equals < 1) {
                throw invalid(text);
            }
            String value = URLDecoder.decode(option.substring(equals + 1), StandardCharsets.UTF_8);
            options.put(option.substring(0, equals), value);
        }
        return options;
    }

    private static URI http(String text, String url) {
        try {
            URI parsed = URI.create(url);
            if (parsed.getHost() != null
                    && parsed.getUserInfo() == null
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
                "{address} is not the address of a bucket; write"
                        + " s3://BUCKET/PREFIX?region=REGION&endpoint=URL, of which only the bucket"
                        + " is required",
                "address",
                text);
    }

    /** The name of an object in the bucket. */
    public String key(String name) {
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }
}
