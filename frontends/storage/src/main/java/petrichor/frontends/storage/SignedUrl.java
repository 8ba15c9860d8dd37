package petrichor.frontends.storage;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.security.Signature;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A URL with a signature of version 4: it permits one request, until it expires, without a token.
 * Source: Google's description of the V4 signing process, whose canonical request this class
 * rebuilds from the request that arrived. Immutable.
 *
 * @param email of the key
 */
record SignedUrl(String email, String scope, Instant signed, Duration valid, Fields fields) {
    private static final String ALGORITHM = "GOOG4-RSA-SHA256";
    private static final String SIGNATURE = "X-Goog-Signature";
    private static final Duration VALID_MAX = Duration.ofDays(7);

    /** Clocks of signers may be ahead. */
    private static final Duration SKEW_MAX = Duration.ofMinutes(15);

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final Pattern CREDENTIAL =
            Pattern.compile("(?<email>[^/]{1,200})/(?<scope>\\d{8}/[^/]+/storage/goog4_request)");

    /** As documented. Python's client sorts the parameters with their values instead. */
    private static final Comparator<String> BY_NAME =
            Comparator.<String, String>comparing(each -> each.substring(0, each.indexOf('=')))
                    .thenComparing(each -> each);

    private static final String HOST = "host";
    private static final Pattern PORT = Pattern.compile(":\\d{1,5}$");
    private static final Pattern SPACES = Pattern.compile("\\s+");

    /** The signed header fields, and the signature. */
    record Fields(List<String> headers, byte[] signature) {}

    static boolean isSigned(Map<String, String> parameters) {
        return parameters.containsKey(SIGNATURE);
    }

    /** INVALID_ARGUMENT if parameters are missing or cannot be read. */
    static SignedUrl of(Map<String, String> parameters) {
        if (!ALGORITHM.equals(parameters.get("X-Goog-Algorithm"))) {
            throw PetrichorException.invalid(
                    "X-Goog-Algorithm must be " + ALGORITHM + "; sign with an RSA key");
        }
        Matcher credential = CREDENTIAL.matcher(required(parameters, "X-Goog-Credential"));
        if (!credential.matches()) {
            throw malformed("X-Goog-Credential");
        }
        try {
            return new SignedUrl(
                    credential.group("email"),
                    credential.group("scope"),
                    TIME.parse(required(parameters, "X-Goog-Date"), Instant::from),
                    Duration.ofSeconds(Long.parseLong(required(parameters, "X-Goog-Expires"))),
                    new Fields(
                            List.of(required(parameters, "X-Goog-SignedHeaders").split(";", -1)),
                            HexFormat.of().parseHex(required(parameters, SIGNATURE))));
        } catch (DateTimeException | IllegalArgumentException unreadable) {
            throw malformed("X-Goog-Date, X-Goog-Expires or " + SIGNATURE);
        }
    }

    private static String required(Map<String, String> parameters, String name) {
        String value = parameters.get(name);
        if (value == null) {
            throw malformed(name);
        }
        return value;
    }

    private static PetrichorException malformed(String name) {
        return PetrichorException.invalid(
                "the parameter {name} of the signed URL is missing or cannot be read",
                "name",
                name);
    }

    /**
     * PERMISSION_DENIED unless the signature is valid for this request now.
     *
     * @param target path and query as they arrived
     * @param headers with lower-case names
     * @param key of {@link #email}; null if it is not known
     */
    void require(
            String method,
            String target,
            Map<String, String> headers,
            Instant now,
            @Nullable PublicKey key) {
        if (valid.isNegative() || valid.compareTo(VALID_MAX) > 0) {
            throw denied("X-Goog-Expires must be between 0 and 604800 seconds");
        }
        if (now.isAfter(signed.plus(valid))) {
            throw denied("it has expired");
        }
        if (now.isBefore(signed.minus(SKEW_MAX))) {
            throw denied("X-Goog-Date is in the future; check the clock of the signer");
        }
        if (!fields.headers().contains(HOST)) {
            throw denied("the header Host is not signed");
        }
        if (key == null) {
            throw denied("the project of the bucket has no such key; create one for it");
        }
        List<String> parameters = query(target);
        Set<String> requests = new LinkedHashSet<>();
        for (Comparator<String> order : List.of(BY_NAME, Comparator.<String>naturalOrder())) {
            parameters.sort(order);
            String query = String.join("&", parameters);
            for (Map<String, String> signedHeaders : List.of(headers, withoutPort(headers))) {
                requests.add(canonical(method, target, query, signedHeaders));
            }
        }
        for (String request : requests) {
            if (verifies(key, stringToSign(request))) {
                return;
            }
        }
        throw denied("the signature does not match the request: method, path, query or headers");
    }

    /** Go's and Node's clients sign the name of the host without its port. */
    private static Map<String, String> withoutPort(Map<String, String> headers) {
        Map<String, String> shorter = new HashMap<>(headers);
        shorter.computeIfPresent(HOST, (_, host) -> PORT.matcher(host).replaceFirst(""));
        return shorter;
    }

    private static PetrichorException denied(String why) {
        return PetrichorException.of(
                ErrorCode.PERMISSION_DENIED,
                "the signed URL is not valid: {reason}",
                "reason",
                why);
    }

    private boolean verifies(PublicKey key, String text) {
        try {
            Signature verifier = Signature.getInstance("SHA256withRSA");
            verifier.initVerify(key);
            verifier.update(text.getBytes(StandardCharsets.UTF_8));
            return verifier.verify(fields.signature());
        } catch (GeneralSecurityException unusable) {
            return false;
        }
    }

    private String stringToSign(String canonical) {
        return String.join(
                "\n",
                ALGORITHM,
                TIME.format(signed),
                scope,
                HexFormat.of().formatHex(sha256(canonical)));
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private String canonical(
            String method, String target, String query, Map<String, String> headers) {
        StringBuilder canonical = new StringBuilder(method).append('\n');
        canonical.append(ResourcePath.path(target)).append('\n');
        canonical.append(query).append('\n');
        for (String name : fields.headers()) {
            String value = Optional.ofNullable(headers.get(name)).orElse("");
            canonical
                    .append(name)
                    .append(':')
                    .append(SPACES.matcher(value.strip()).replaceAll(" "))
                    .append('\n');
        }
        canonical.append('\n').append(String.join(";", fields.headers())).append('\n');
        return canonical
                .append(headers.getOrDefault("x-goog-content-sha256", "UNSIGNED-PAYLOAD"))
                .toString();
    }

    /** The parameters without the signature. */
    private static List<String> query(String target) {
        int at = target.indexOf('?');
        List<String> parameters =
                new ArrayList<>(Arrays.asList(target.substring(at + 1).split("&", -1)));
        parameters.removeIf(each -> each.toLowerCase(Locale.ROOT).startsWith("x-goog-signature="));
        parameters.replaceAll(each -> each.indexOf('=') < 0 ? each + "=" : each);
        return parameters;
    }
}
