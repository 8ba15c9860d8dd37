package petrichor.server;

import com.google.protobuf.Message;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A line of isolation.txt: a call that concerns data of an app.
 *
 * @param kind one of {@code + - !}
 * @param text of the message, with placeholders
 */
record AppCall(char kind, String api, String method, String type, String text) {
    static List<AppCall> all() {
        try (InputStream in = AppCall.class.getResourceAsStream("isolation.txt")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(AppCall::of)
                    .toList();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static AppCall of(String line) {
        String[] words = line.split(" ", 5);
        String text = words.length < 5 ? "" : words[4];
        return new AppCall(words[0].charAt(0), words[1], words[2], words[3], text);
    }

    /**
     * @param references values of the placeholders
     */
    Message message(Map<String, String> references, String appId)
            throws ReflectiveOperationException, IOException {
        String filled = text.replace("${APP}", appId);
        for (Map.Entry<String, String> reference : references.entrySet()) {
            filled = filled.replace("${" + reference.getKey() + "}", reference.getValue());
        }
        return AppMessages.parse(type, filled);
    }

    @Override
    public String toString() {
        return api + "." + method + " " + text;
    }
}
