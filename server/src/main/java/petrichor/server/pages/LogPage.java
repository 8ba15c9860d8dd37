package petrichor.server.pages;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.Page;
import petrichor.server.config.ServerConfig;
import petrichor.server.logs.LogLevels;

/**
 * {@code /petrichor/v1/log}: the log levels, which the commands {@code log list}, {@code log set}
 * and {@code log reset} read and change. Changes last until the server stops.
 *
 * <pre>
 * POST {"level": "debug"}                                    all loggers
 * POST {"level": "debug", "logger": "petrichor.requests"}    one, and those below it
 * POST {"level": null, "logger": "petrichor.requests"}       as before
 * </pre>
 */
public final class LogPage {
    static final String PATH = "/petrichor/v1/log";

    private static final Logger LOG = LoggerFactory.getLogger(LogPage.class);
    private static final Set<String> KEYS = Set.of("level", "logger");

    private final LogLevels levels;

    public LogPage(LogLevels levels) {
        this.levels = levels;
    }

    public List<Page> pages() {
        return List.of(
                new Page("GET", PATH, Page.Access.READ, _ -> shown()),
                new Page("POST", PATH, Page.Access.ADMIN, this::change));
    }

    private Page.Answer shown() {
        JsonObject loggers = new JsonObject();
        levels.single().forEach((name, level) -> loggers.addProperty(name, text(level)));
        JsonObject all = new JsonObject();
        all.addProperty("level", text(levels.all()));
        all.add("loggers", loggers);
        return Page.Answer.json(200, all + "\n");
    }

    private Page.Answer change(Page.Request request) {
        JsonObject wanted = parsed(request.body());
        if (!KEYS.containsAll(wanted.keySet()) || !wanted.has("level")) {
            throw PetrichorException.invalid(
                    "send {\"level\": LEVEL} or {\"level\": LEVEL, \"logger\": NAME}");
        }
        String logger = wanted.has("logger") ? string(wanted.get("logger")) : "";
        if (wanted.get("level").isJsonNull()) {
            levels.reset(logger);
            LOG.info("log level of {} reset", logger);
            return shown();
        }
        ServerConfig.Log.Level level = level(string(wanted.get("level")));
        if (logger.isEmpty()) {
            levels.all(level);
        } else {
            levels.one(logger, level);
        }
        LOG.info(
                "log level of {} set to {}",
                logger.isEmpty() ? "all loggers" : logger,
                text(level));
        return shown();
    }

    private static JsonObject parsed(byte[] body) {
        try {
            return JsonParser.parseString(new String(body, StandardCharsets.UTF_8))
                    .getAsJsonObject();
        } catch (JsonParseException | IllegalStateException malformed) {
            throw PetrichorException.invalid("the body is not a JSON object");
        }
    }

    private static String string(JsonElement element) {
        if (!element.isJsonPrimitive()) {
            throw PetrichorException.invalid("level and logger must be strings");
        }
        return element.getAsString();
    }

    private static ServerConfig.Log.Level level(String text) {
        return Arrays.stream(ServerConfig.Log.Level.values())
                .filter(one -> text(one).equals(text))
                .findFirst()
                .orElseThrow(
                        () ->
                                PetrichorException.invalid(
                                        "level must be debug, info, warn or error, not \"{text}\"",
                                        "text",
                                        text));
    }

    private static String text(ServerConfig.Log.Level level) {
        return level.name().toLowerCase(Locale.ROOT);
    }
}
