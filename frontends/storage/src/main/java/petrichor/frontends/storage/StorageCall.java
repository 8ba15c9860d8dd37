package petrichor.frontends.storage;

import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.Page;
import petrichor.services.blobs.Blobs;
import petrichor.services.blobs.Bucket;
import petrichor.services.blobs.Preconditions;

/**
 * A request, with the access checks and the parameters that many methods share. Confined to the
 * thread of the request.
 *
 * @param base beginning of the URLs of this server, as the client addresses it
 */
record StorageCall(Page.Request http, Blobs blobs, String base) {
    /** Headers of customer-supplied encryption keys. */
    private static final String ENCRYPTION = "x-goog-encryption-algorithm";

    static StorageCall of(Page.Request http, Blobs blobs, String scheme) {
        if (http.headers().containsKey(ENCRYPTION)) {
            throw PetrichorException.of(
                    ErrorCode.UNIMPLEMENTED,
                    "customer-supplied encryption keys are not supported; encrypt before you"
                            + " upload");
        }
        String host = http.headers().getOrDefault("host", "localhost");
        return new StorageCall(http, blobs, scheme + "://" + host);
    }

    /** The bucket. NOT_FOUND, UNAUTHENTICATED or PERMISSION_DENIED if the caller has no access. */
    Bucket bucket(String name, Role role) {
        requireCaller();
        Bucket bucket = blobs.buckets().get(name);
        http.attempt().require(role, bucket.project(), "");
        return bucket;
    }

    void require(Role role, String project) {
        requireCaller();
        http.attempt().require(role, project, "");
    }

    private void requireCaller() {
        AccessAttempt attempt = http.attempt();
        if (attempt.admitted().isEmpty()) {
            throw PetrichorException.of(
                    ErrorCode.UNAUTHENTICATED,
                    "this server requires tokens: send one in the header Authorization, or use a"
                            + " signed URL");
        }
    }

    @Nullable String parameter(String name) {
        return http.parameters().get(name);
    }

    String parameter(String name, String standard) {
        return http.parameters().getOrDefault(name, standard);
    }

    boolean flag(String name) {
        // Python's client sends its own form of the word.
        return "true".equalsIgnoreCase(parameter(name));
    }

    /** A header's value; empty if it is not set. */
    String header(String name) {
        return http.headers().getOrDefault(name, "");
    }

    @Nullable Long number(String parameter) {
        return number(parameter, parameter(parameter));
    }

    static @Nullable Long number(String name, @Nullable String text) {
        if (text == null || text.isEmpty()) {
            return null;
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException none) {
            throw PetrichorException.invalid(
                    "{name} must be a whole number, not \"{value}\"", "name", name, "value", text);
        }
    }

    /** Of the object or bucket that the request names. */
    Preconditions conditions() {
        return new Preconditions(
                number("ifGenerationMatch"),
                number("ifGenerationNotMatch"),
                number("ifMetagenerationMatch"),
                number("ifMetagenerationNotMatch"));
    }

    /** Of the source of a copy. */
    Preconditions sourceConditions() {
        return new Preconditions(
                number("ifSourceGenerationMatch"),
                number("ifSourceGenerationNotMatch"),
                number("ifSourceMetagenerationMatch"),
                number("ifSourceMetagenerationNotMatch"));
    }

    JsonObject json() {
        return StorageJson.parse(new String(http.body(), StandardCharsets.UTF_8));
    }

    static Page.Answer json(int status, JsonObject body) {
        return Page.Answer.json(status, body.toString());
    }

    /** The maximum number of entries of a page. */
    int pageSize(int max) {
        Long wanted = number("maxResults");
        if (wanted == null) {
            return max;
        }
        if (wanted < 0) {
            throw PetrichorException.invalid(
                    "maxResults must not be negative, but is {value}", "value", wanted);
        }
        return wanted == 0 ? max : (int) Math.min(wanted, max);
    }
}
