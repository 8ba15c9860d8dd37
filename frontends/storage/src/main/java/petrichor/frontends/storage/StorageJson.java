package petrichor.frontends.storage;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.services.blobs.Version;

/** What the representations of buckets and objects share. */
final class StorageJson {
    /** Longest JSON document in a request; Cloud Storage's own limits on metadata are lower. */
    static final int BYTES_MAX = 256 << 10;

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private StorageJson() {}

    /** An empty text is an empty object. */
    static JsonObject parse(String text) {
        if (text.length() > BYTES_MAX) {
            throw PetrichorException.invalid(
                    "the request's JSON has more than {bytesMax} bytes", "bytesMax", BYTES_MAX);
        }
        if (text.isBlank()) {
            return new JsonObject();
        }
        try {
            JsonElement parsed = JsonParser.parseString(text);
            if (parsed.isJsonObject()) {
                return parsed.getAsJsonObject();
            }
        } catch (JsonParseException | StackOverflowError malformed) {
            throw PetrichorException.invalid("the request's body is not valid JSON");
        }
        throw PetrichorException.invalid("the request's body is not a JSON object");
    }

    /** The text of a member; null if it is absent or null. */
    static @Nullable String text(JsonObject object, String member) {
        JsonElement value = object.get(member);
        if (value == null || value.isJsonNull()) {
            return null;
        }
        if (!value.isJsonPrimitive()) {
            throw PetrichorException.invalid("{member} must be a text", "member", member);
        }
        return value.getAsString();
    }

    /** A member that is an object; an empty one if it is absent or null. */
    static JsonObject object(JsonObject object, String member) {
        JsonElement value = object.get(member);
        if (value == null || value.isJsonNull()) {
            return new JsonObject();
        }
        if (!value.isJsonObject()) {
            throw PetrichorException.invalid("{member} must be an object", "member", member);
        }
        return value.getAsJsonObject();
    }

    static boolean flag(JsonObject object, String member) {
        return "true".equals(text(object, member));
    }

    /** As RFC 3339, with milliseconds. */
    static String time(long micros) {
        return TIME.format(Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
    }

    /** Changes with each change of the content or the metadata. */
    static String etag(Version version) {
        return Base64.getEncoder()
                .encodeToString(
                        (version.generation() + "/" + version.metageneration())
                                .getBytes(StandardCharsets.US_ASCII));
    }

    /** As one segment of a path. */
    static String segment(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
