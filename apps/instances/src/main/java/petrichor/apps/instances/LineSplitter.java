package petrichor.apps.instances;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.function.Consumer;

/**
 * Splits output into lines of bounded length. Control characters, which could change an operator's
 * terminal, are shown as escapes. Used by one thread.
 */
final class LineSplitter {
    private static final int FIRST_PRINTABLE = ' ';
    private static final int DELETE = 0x7f;
    private static final int LAST_CONTROL = 0x9f;

    private final int lineBytesMax;
    private final Consumer<String> lines;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private long cutBytes;

    LineSplitter(int lineBytesMax, Consumer<String> lines) {
        this.lineBytesMax = lineBytesMax;
        this.lines = lines;
    }

    void add(byte[] bytes, int length) {
        int from = 0;
        for (int i = 0; i < length; i++) {
            if (bytes[i] == '\n') {
                keep(bytes, from, i);
                complete();
                from = i + 1;
            }
        }
        keep(bytes, from, length);
    }

    /** Completes a last line without an end. */
    void end() {
        if (line.size() > 0) {
            complete();
        }
    }

    private void keep(byte[] bytes, int from, int to) {
        int kept = Math.min(to - from, lineBytesMax - line.size());
        line.write(bytes, from, kept);
        cutBytes += to - from - kept;
    }

    private void complete() {
        String text = printable(line.toString(StandardCharsets.UTF_8));
        if (cutBytes > 0) {
            text += " … (" + cutBytes + " more bytes)";
        }
        line.reset();
        cutBytes = 0;
        lines.accept(text);
    }

    private static String printable(String text) {
        String stripped = text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
        if (stripped.chars().noneMatch(LineSplitter::isControl)) {
            return stripped;
        }
        StringBuilder shown = new StringBuilder(stripped.length() + 16);
        for (int i = 0; i < stripped.length(); i++) {
            char c = stripped.charAt(i);
            if (isControl(c)) {
                shown.append("\\x").append(HexFormat.of().toHexDigits((byte) c));
            } else {
                shown.append(c);
            }
        }
        return shown.toString();
    }

    private static boolean isControl(int c) {
        return (c < FIRST_PRINTABLE && c != '\t') || (c >= DELETE && c <= LAST_CONTROL);
    }
}
