package petrichor.apps.manifest;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.yaml.YamlMapping;
import petrichor.yaml.YamlScalar;

/** Reads the URLs of {@code app.yaml}: handlers, error handlers, inbound services. */
final class RoutesReader {
    static final int HANDLERS_MAX = 100;
    private static final int ERROR_HANDLERS_MAX = 20;
    private static final int INBOUND_SERVICES_MAX = 20;

    private static final Set<String> COMMON =
            Set.of("url", "login", "auth_fail_action", "secure", "redirect_http_response_code");
    private static final Set<String> STATIC =
            Set.of(
                    "mime_type",
                    "expiration",
                    "require_matching_file",
                    "http_headers",
                    "application_readable");
    private static final Set<String> HANDLER =
            union(
                    COMMON,
                    STATIC,
                    Set.of(
                            "script",
                            "static_dir",
                            "static_files",
                            "upload",
                            "position",
                            "api_endpoint"));
    private static final Set<String> ERROR_HANDLER = Set.of("error_code", "file", "mime_type");

    /** Known, and never sent. */
    private static final String REST = "rest";

    /** A name of a file, or a folder, in the app's folder. */
    private static final Pattern FILE =
            Pattern.compile("(?!/)(?!(.*/)?\\.\\.(/|$))[^\\x00-\\x1f]+");

    private final YamlMapping root;
    private final Warnings warnings;

    RoutesReader(YamlMapping root, Warnings warnings) {
        this.root = root;
        this.warnings = warnings;
    }

    Routes read() {
        List<UrlHandler> handlers = new ArrayList<>();
        for (YamlMapping entry : root.items("handlers", HANDLER, HANDLERS_MAX)) {
            handlers.add(handler(entry));
        }
        return new Routes(
                handlers,
                errorHandlers(),
                root.read("default_expiration", TimeText.EXPIRATION, TimeText::expiration)
                        .orElse(Routes.EXPIRATION),
                inboundServices());
    }

    @SafeVarargs
    private static Set<String> union(Set<String>... sets) {
        Set<String> union = new TreeSet<>();
        for (Set<String> set : sets) {
            union.addAll(set);
        }
        return union;
    }

    private UrlHandler handler(YamlMapping fields) {
        String url = url(fields);
        return fields.checked(
                () ->
                        new UrlHandler(
                                fields.has("static_dir")
                                        ? UrlPattern.below(url)
                                        : UrlPattern.of(url),
                                target(fields),
                                access(fields)));
    }

    private static String url(YamlMapping fields) {
        fields.required("url");
        return fields.read(
                        "url",
                        "a regular expression that begins with /, . or (",
                        text -> "/.(".indexOf(text.charAt(0)) >= 0 ? text : null)
                .orElseThrow();
    }

    private HandlerTarget target(YamlMapping fields) {
        if (fields.has("api_endpoint") || fields.has("position")) {
            String field = fields.has("position") ? "position" : "api_endpoint";
            throw fields.invalid(field, field + " is not supported; remove it");
        }
        if (fields.has("static_files")) {
            allow(fields, "static_files", union(COMMON, STATIC, Set.of("upload", "static_files")));
            fields.required("upload");
            String upload = fields.required("upload");
            return new HandlerTarget.StaticFiles(
                    file(fields, "static_files"),
                    UrlPattern.of(upload.startsWith("./") ? upload.substring(2) : upload),
                    options(fields));
        }
        if (fields.has("static_dir")) {
            allow(fields, "static_dir", union(COMMON, STATIC, Set.of("static_dir")));
            return new HandlerTarget.StaticDirectory(file(fields, "static_dir"), options(fields));
        }
        if (!fields.has("script")) {
            throw fields.invalid("url", "one of script, static_dir and static_files is missing");
        }
        allow(fields, "script", union(COMMON, Set.of("script")));
        if (!fields.required("script").equals("auto")) {
            warnings.add(
                    fields.line("script"),
                    "handlers.script",
                    "has no effect: the entrypoint handles every request; write auto.");
        }
        return new HandlerTarget.Script();
    }

    private static void allow(YamlMapping fields, String target, Set<String> allowed) {
        for (String name : fields.names()) {
            if (!allowed.contains(name) && fields.has(name)) {
                throw fields.invalid(name, name + " is not allowed beside " + target);
            }
        }
    }

    /** Without "./" at its start and slashes at its end; "." is the app's folder. */
    private static String file(YamlMapping fields, String field) {
        fields.required(field);
        String name =
                fields.read(
                                field,
                                "a file of the app's folder",
                                text -> FILE.matcher(text).matches() ? text : null)
                        .orElseThrow();
        String path = name.startsWith("./") ? name.substring(2) : name;
        while (path.endsWith("/")) {
            path = path.substring(0, path.length() - 1);
        }
        return path.equals(".") ? "" : path;
    }

    private static StaticOptions options(YamlMapping fields) {
        Set<StaticOptions.Flag> flags = EnumSet.noneOf(StaticOptions.Flag.class);
        if (fields.flag("application_readable").orElse(false)) {
            flags.add(StaticOptions.Flag.APPLICATION_READABLE);
        }
        if (fields.flag("require_matching_file").orElse(false)) {
            flags.add(StaticOptions.Flag.REQUIRE_MATCHING_FILE);
        }
        Optional<String> mimeType =
                fields.read(
                        "mime_type", "a type such as text/html", text -> StaticHeaders.value(text));
        return new StaticOptions(
                mimeType,
                fields.read("expiration", TimeText.EXPIRATION, TimeText::expiration),
                StaticHeaders.read(fields, mimeType.isPresent()),
                flags);
    }

    private static UrlHandler.Access access(YamlMapping fields) {
        return new UrlHandler.Access(
                choice(fields, "login", UrlHandler.Login.class)
                        .orElse(UrlHandler.Access.DEFAULT.login()),
                choice(fields, "auth_fail_action", UrlHandler.AuthFailAction.class)
                        .orElse(UrlHandler.Access.DEFAULT.authFailAction()),
                fields.read("secure", "optional, never or always", RoutesReader::secure)
                        .orElse(UrlHandler.Access.DEFAULT.secure()),
                fields.integer("redirect_http_response_code")
                        .orElse(UrlHandler.Access.DEFAULT.redirectStatus()));
    }

    /** App Engine also reads "default" as "optional". */
    private static UrlHandler.@Nullable Secure secure(String text) {
        return text.equals("default")
                ? UrlHandler.Secure.OPTIONAL
                : constant(UrlHandler.Secure.class).apply(text);
    }

    private static <E extends Enum<E>> Optional<E> choice(
            YamlMapping fields, String field, Class<E> type) {
        TreeSet<String> names = new TreeSet<>();
        for (E constant : type.getEnumConstants()) {
            names.add(constant.name().toLowerCase(Locale.ROOT));
        }
        return fields.read(field, "one of " + String.join(", ", names), constant(type));
    }

    /** The constant of a name in lower case. */
    private static <E extends Enum<E>> Function<String, @Nullable E> constant(Class<E> type) {
        return text -> {
            for (E constant : type.getEnumConstants()) {
                if (constant.name().toLowerCase(Locale.ROOT).equals(text)) {
                    return constant;
                }
            }
            return null;
        };
    }

    private List<ErrorHandler> errorHandlers() {
        List<ErrorHandler> handlers = new ArrayList<>();
        Set<ErrorHandler.Code> codes = new HashSet<>();
        for (YamlMapping entry : root.items("error_handlers", ERROR_HANDLER, ERROR_HANDLERS_MAX)) {
            ErrorHandler handler =
                    new ErrorHandler(
                            choice(entry, "error_code", ErrorHandler.Code.class)
                                    .orElse(ErrorHandler.Code.DEFAULT),
                            file(entry, "file"),
                            entry.read(
                                    "mime_type", "a type such as text/html", StaticHeaders::value));
            if (!codes.add(handler.code())) {
                throw entry.invalid("error_code", "a second handler of this error_code");
            }
            handlers.add(handler);
        }
        return handlers;
    }

    private Set<InboundService> inboundServices() {
        Set<InboundService> services = EnumSet.noneOf(InboundService.class);
        for (YamlScalar name : root.scalars("inbound_services", INBOUND_SERVICES_MAX)) {
            InboundService service = constant(InboundService.class).apply(name.text());
            if (service != null) {
                services.add(service);
            } else if (name.text().equals(REST)) {
                warnings.add(name.line(), "inbound_services", name.text() + " has no effect.");
            } else {
                throw root.invalid(
                        name,
                        "inbound_services has \""
                                + name.text()
                                + "\"; it may have mail, mail_bounce, warmup,"
                                + " channel_presence and xmpp_message, xmpp_presence,"
                                + " xmpp_subscribe, xmpp_error");
            }
        }
        return services;
    }
}
