package petrichor.cli.sql;

import java.io.BufferedReader;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Where a shell reads from, line by line. Confined to one thread. */
interface LineSource {
    /** What a line is for. */
    enum Purpose {
        STATEMENT,
        /** A row of {@code COPY … FROM STDIN}. */
        DATA
    }

    /**
     * The next line, or several lines up to the end of a statement; null at the end.
     *
     * @param prompt shown only by a terminal
     */
    @Nullable String next(String prompt, Purpose purpose) throws IOException;

    /** Where the last line is, for errors: {@code FILE:LINE: }, or empty. */
    String place();

    /** Lines of a file or pipe. */
    final class Text implements LineSource {
        private final BufferedReader reader;
        private final String name;
        private long line;

        /**
         * @param name shown in errors, or empty
         */
        Text(BufferedReader reader, String name) {
            this.reader = reader;
            this.name = name;
        }

        @Override
        public @Nullable String next(String prompt, Purpose purpose) throws IOException {
            String text = reader.readLine();
            line++;
            // A byte order mark is no part of the first statement.
            return line == 1 && text != null && text.startsWith("\uFEFF")
                    ? text.substring(1)
                    : text;
        }

        @Override
        public String place() {
            return name.isEmpty() ? "" : name + ":" + line + ": ";
        }
    }
}
