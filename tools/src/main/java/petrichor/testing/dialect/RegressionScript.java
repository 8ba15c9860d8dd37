package petrichor.testing.dialect;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.sql.SqlText;

/**
 * A script of psql, cut into steps: one SQL statement each, or the psql commands between two.
 * Immutable.
 */
record RegressionScript(List<Step> steps) {
    /**
     * @param line of the script, from 1
     * @param data lines for COPY … FROM stdin, or for a COPY from the file that it names; empty if
     *     it reads none
     * @param file that COPY … FROM reads, as the script names it; empty if it reads none
     */
    record Step(int line, String text, boolean sql, String data, String file) {
        private static final Pattern EXPLAIN =
                Pattern.compile("(?is)\\s*(/\\*.*?\\*/\\s*)?explain\\b.*");

        /** Whether the outcome is compared: plans are those of an engine. */
        boolean compared() {
            return sql && !EXPLAIN.matcher(text).matches();
        }

        /** Whether the order of its rows is defined, by an ORDER BY outside of parentheses. */
        boolean ordered() {
            int depth = 0;
            int at = 0;
            while (at < text.length()) {
                int end = SqlText.tokenEnd(text, at);
                String word = text.substring(at, end);
                depth += word.equals("(") ? 1 : word.equals(")") ? -1 : 0;
                if (depth == 0 && word.equalsIgnoreCase("ORDER")) {
                    return true;
                }
                at = end;
            }
            return false;
        }
    }

    private static final Pattern FROM_STDIN =
            Pattern.compile("(?is)\\s*copy\\b.*\\bfrom\\s+stdin\\b.*");

    private static final Pattern FROM_FILE =
            Pattern.compile("(?is)\\s*copy\\b.*\\bfrom\\s+(:'(\\w+)').*");

    private static final Pattern FILE_NAME =
            Pattern.compile("\\\\set\\s+(\\w+)\\s+:abs_srcdir\\s+'([^']+)'\\s*");

    /** Commands of psql that would change the form of its output, or leave the session. */
    private static final Pattern LEFT_OUT =
            Pattern.compile(
                    "\\\\(a|t|x|pset|q|!|o|i|ir|timing|c|connect|setenv|cd|getenv)(\\s.*)?"
                            + "|\\\\set\\s+(ECHO|QUIET|VERBOSITY|SHOW_\\w+|ON_ERROR_\\w+"
                            + "|FETCH_COUNT|HIDE_\\w+|AUTOCOMMIT)\\b.*",
                    Pattern.DOTALL);

    RegressionScript {
        steps = List.copyOf(steps);
    }

    static RegressionScript parse(String text) {
        List<Step> steps = new ArrayList<>();
        String file = "";
        int at = 0;
        while (at < text.length()) {
            at = blankEnd(text, at);
            if (at >= text.length()) {
                break;
            }
            int line = 1 + (int) text.substring(0, at).chars().filter(c -> c == '\n').count();
            if (text.charAt(at) == '\\') {
                int end = lineEnd(text, at);
                String command = text.substring(at, end).strip();
                Matcher named = FILE_NAME.matcher(command);
                if (named.matches()) {
                    file = named.group(2);
                }
                if (!LEFT_OUT.matcher(command).matches()) {
                    steps.add(new Step(line, command, false, "", ""));
                }
                at = end;
                continue;
            }
            int start = at;
            at = statementEnd(text, at);
            String statement = text.substring(start, at).strip();
            String data = "";
            if (FROM_STDIN.matcher(statement).matches()) {
                int from = Math.min(text.length(), lineEnd(text, at) + 1);
                int to = text.indexOf("\n\\.", from - 1);
                to = to < 0 ? text.length() : to;
                data = to < from ? "" : text.substring(from, to + 1);
                at = lineEnd(text, Math.min(text.length(), to + 1));
            }
            boolean read = FROM_FILE.matcher(statement).matches();
            steps.add(new Step(line, statement, true, data, read ? file : ""));
        }
        return new RegressionScript(steps);
    }

    private static int blankEnd(String text, int from) {
        int at = from;
        while (at < text.length()) {
            boolean comment = text.startsWith("--", at) || text.startsWith("/*", at);
            if (!comment && !Character.isWhitespace(text.charAt(at))) {
                return at;
            }
            at = comment ? SqlText.tokenEnd(text, at) : at + 1;
        }
        return at;
    }

    private static int lineEnd(String text, int at) {
        int end = text.indexOf('\n', at);
        return end < 0 ? text.length() : end;
    }

    /** After its semicolon, or after the line with the psql command that sends it. */
    private static int statementEnd(String text, int from) {
        int depth = 0;
        int at = from;
        boolean atomic = false;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '\\' && text.startsWith("\\;", at)) {
                at += 2;
                continue;
            }
            if (c == '\\') {
                return lineEnd(text, at);
            }
            if (c == ';' && depth == 0 && !atomic) {
                return at + 1;
            }
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            int end = SqlText.tokenEnd(text, at);
            String word = text.substring(at, end);
            if (word.equalsIgnoreCase("ATOMIC")) {
                atomic = true;
            } else if (atomic && word.equalsIgnoreCase("END")) {
                atomic = false;
            }
            at = end;
        }
        return at;
    }

    /** The COPY statement that reads a file on the client's side, for a psql command. */
    static String copied(Step step, Path file) {
        String flat = step.text().replaceAll("\\s+", " ").replaceFirst(";\\s*$", "");
        Matcher named = FROM_FILE.matcher(flat);
        String name = "'" + file + "'";
        if (named.matches()) {
            return "\\" + flat.substring(0, named.start(1)) + name + flat.substring(named.end(1));
        }
        return "\\" + flat.replaceFirst("(?i)\\bfrom stdin\\b", "from " + name);
    }
}
