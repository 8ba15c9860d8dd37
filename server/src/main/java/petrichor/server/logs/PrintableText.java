package petrichor.server.logs;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Text for the log in which characters that control a terminal, break lines, or change the
 * direction of writing are escaped as in Java: clients and stores choose parts of it.
 */
final class PrintableText {
    private PrintableText() {}

    static void append(StringBuilder to, String text) {
        text.codePoints()
                .forEach(
                        point -> {
                            if (isPrintable(point)) {
                                to.appendCodePoint(point);
                            } else {
                                for (char unit : Character.toChars(point)) {
                                    to.append(String.format(Locale.ROOT, "\\u%04x", (int) unit));
                                }
                            }
                        });
    }

    private static boolean isPrintable(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE ->
                    false;
            default -> true;
        };
    }

    /** A stack trace with its usual line breaks, whose messages are printable. */
    static String stack(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new Lines(text));
        return text.toString();
    }

    /** Throwable prints one object per line: itself, a frame, or a cause. */
    private static final class Lines extends PrintWriter {
        Lines(StringWriter text) {
            super(text);
        }

        @Override
        public void println(@Nullable Object line) {
            String text = String.valueOf(line);
            int indented = 0;
            while (indented < text.length() && text.charAt(indented) == '\t') {
                indented++;
            }
            StringBuilder printable = new StringBuilder(text.substring(0, indented));
            PrintableText.append(printable, text.substring(indented));
            println(printable.toString());
        }
    }
}
