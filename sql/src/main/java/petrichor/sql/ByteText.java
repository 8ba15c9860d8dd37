package petrichor.sql;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** PostgreSQL's texts of bytes: {@code \x…}, or characters with octal escapes. */
public final class ByteText {
    private ByteText() {}

    public static byte[] parse(String value) {
        try {
            if (value.startsWith("\\x")) {
                return HexFormat.of().parseHex(value.substring(2).replaceAll("\\s", ""));
            }
        } catch (IllegalArgumentException invalid) {
            throw invalid(value);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c != '\\') {
                bytes.writeBytes(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
            } else if (value.startsWith("\\\\", i)) {
                bytes.write('\\');
                i++;
            } else if (value.substring(i + 1).matches("(?s)[0-3][0-7]{2}.*")) {
                bytes.write(Integer.parseInt(value.substring(i + 1, i + 4), 8));
                i += 3;
            } else {
                throw invalid(value);
            }
        }
        return bytes.toByteArray();
    }

    private static SqlException invalid(String value) {
        return new SqlException(
                SqlState.INVALID_TEXT, "invalid input syntax for type bytea: \"" + value + "\"");
    }
}
