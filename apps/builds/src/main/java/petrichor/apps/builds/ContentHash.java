package petrichor.apps.builds;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/** SHA-256 over a sequence of texts, each with its length. Not thread-safe. */
final class ContentHash {
    private final MessageDigest digest = SourceTree.sha256();

    ContentHash add(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
        digest.update(bytes);
        return this;
    }

    ContentHash add(Map<String, String> texts) {
        add(String.valueOf(texts.size()));
        new TreeMap<>(texts).forEach((name, value) -> add(name).add(value));
        return this;
    }

    /** In hexadecimal; ends the sequence. */
    String hex() {
        return HexFormat.of().formatHex(digest.digest());
    }
}
