package petrichor.kv.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** The Lua scripts. The head of each describes its arguments and results. */
enum Script {
    OPEN,
    CREATE_TABLE,
    DROP_TABLE,
    TAKE_FENCE,
    APPLY,
    SCAN;

    private final String text = read(name().toLowerCase(Locale.ROOT) + ".lua");
    private final String digest = sha1(text);

    String text() {
        return text;
    }

    /** The digest by which Redis identifies a loaded script. */
    String digest() {
        return digest;
    }

    private static String read(String resource) {
        try (InputStream stream = Script.class.getResourceAsStream(resource)) {
            if (stream == null) {
                throw new IllegalStateException(
                        "the program's resource " + resource + " is missing");
            }
            return new String(stream.readAllBytes(), UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static String sha1(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
