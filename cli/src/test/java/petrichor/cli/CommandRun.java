package petrichor.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Output and exit code of a command. Redirects the streams of the process, so only one can run at a
 * time.
 */
public record CommandRun(int code, String out, String err) {

    public static CommandRun of(String... arguments) {
        return withInput("", arguments);
    }

    public static CommandRun withInput(String input, String... arguments) {
        InputStream in = System.in;
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        try {
            System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
            int code = Petrichor.run(arguments);
            return new CommandRun(
                    code,
                    printed.toString(StandardCharsets.UTF_8),
                    said.toString(StandardCharsets.UTF_8));
        } finally {
            System.setIn(in);
            System.setOut(out);
            System.setErr(err);
        }
    }
}
