package petrichor.frontends.storage;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.PetrichorException;

/**
 * Splits the path of a request before it is decoded: the name of an object is one segment of the
 * JSON API's paths, in which slashes are encoded.
 */
final class ResourcePath {
    private ResourcePath() {}

    /** The path of a request's target. */
    static String path(String target) {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    /** The decoded segments after a prefix that ends with a slash. */
    static List<String> segments(String target, String prefix) {
        String path = path(target);
        if (!path.startsWith(prefix)) {
            throw undecodable(path);
        }
        List<String> segments = new ArrayList<>();
        for (String segment : path.substring(prefix.length()).split("/", -1)) {
            segments.add(decoded(segment));
        }
        return segments;
    }

    /** Without the interpretation of {@code +} as a space, which is for queries only. */
    static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw undecodable(text);
        }
    }

    private static PetrichorException undecodable(String path) {
        return PetrichorException.invalid("the path \"{path}\" cannot be decoded", "path", path);
    }
}
