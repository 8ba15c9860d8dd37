package petrichor.server.logs;

import com.google.gson.JsonObject;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;
import org.slf4j.MDC;

/**
 * Formats one JSON object per line: time, level, logger, message, and, if present, trace and stack.
 */
public final class JsonLogFormat extends Formatter {
    @Override
    public String format(LogRecord event) {
        JsonObject line = new JsonObject();
        line.addProperty("time", event.getInstant().toString());
        line.addProperty("level", Logging.name(event.getLevel()));
        line.addProperty("logger", event.getLoggerName());
        line.addProperty("message", formatMessage(event));
        String trace = MDC.get("trace");
        if (trace != null) {
            line.addProperty("trace", trace);
        }
        if (event.getThrown() != null) {
            StringWriter stack = new StringWriter();
            event.getThrown().printStackTrace(new PrintWriter(stack));
            line.addProperty("stack", stack.toString());
        }
        // JSON may contain some control characters as they are; escaped, they are the same text.
        StringBuilder printable = new StringBuilder();
        PrintableText.append(printable, line.toString());
        return printable.append('\n').toString();
    }
}
