package petrichor.jobs.service;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiFunction;
import petrichor.base.NearestName;
import petrichor.base.PetrichorException;

/**
 * The messages of {@code progress.proto} as JSON, both ways. It is the JSON form of Protocol
 * Buffers with three exceptions: 64-bit integers are numbers, a group of counters is the object of
 * its counts, and an event is the object of its kind with a member {@code event} that names it.
 * Stateless.
 */
public final class ProgressJson {
    private static final String EVENT = "event";
    private static final Descriptor GROUP = Progress.CounterGroup.getDescriptor();
    private static final String COUNTS = "counts";

    /** Lists that are absent while they are empty. All other fields without presence are there. */
    private static final Set<String> ABSENT_IF_EMPTY =
            Set.of("counters", "attempts", "jobs", "plan", "output");

    private static final JsonFormat.Printer PRINTER =
            JsonFormat.printer()
                    .includingDefaultValueFields(
                            alwaysPresent(Progress.getDescriptor().getMessageTypes()))
                    .omittingInsignificantWhitespace();

    private static final JsonFormat.Parser PARSER = JsonFormat.parser().ignoringUnknownFields();

    private ProgressJson() {}

    private static Set<FieldDescriptor> alwaysPresent(List<Descriptor> types) {
        Set<FieldDescriptor> fields = new HashSet<>();
        for (Descriptor type : types) {
            fields.addAll(alwaysPresent(type.getNestedTypes()));
            for (FieldDescriptor field : type.getFields()) {
                boolean isAbsent = field.isRepeated() && ABSENT_IF_EMPTY.contains(field.getName());
                if (!field.hasPresence() && !isAbsent) {
                    fields.add(field);
                }
            }
        }
        return fields;
    }

    public static JsonObject of(Message message) {
        try {
            JsonObject json = JsonParser.parseString(PRINTER.print(message)).getAsJsonObject();
            convert(json, message.getDescriptorForType(), ProgressJson::simplify);
            return json;
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Replaces the values of an object's fields, those of nested objects included. */
    private static void convert(
            JsonObject json,
            Descriptor type,
            BiFunction<JsonElement, FieldDescriptor, JsonElement> to) {
        for (FieldDescriptor field : type.getFields()) {
            JsonElement value = json.get(field.getJsonName());
            if (field.isMapField() && value instanceof JsonObject map) {
                FieldDescriptor of = field.getMessageType().findFieldByNumber(2);
                map.entrySet().forEach(each -> each.setValue(to.apply(each.getValue(), of)));
            } else if (field.isRepeated() && value instanceof JsonArray all) {
                for (int i = 0; i < all.size(); i++) {
                    all.set(i, to.apply(all.get(i), field));
                }
            } else if (value != null) {
                json.add(field.getJsonName(), to.apply(value, field));
            }
        }
    }

    private static JsonElement simplify(JsonElement value, FieldDescriptor field) {
        if (field.getJavaType() == JavaType.LONG) {
            return new JsonPrimitive(value.getAsLong());
        }
        if (field.getJavaType() == JavaType.MESSAGE && value instanceof JsonObject message) {
            convert(message, field.getMessageType(), ProgressJson::simplify);
            return field.getMessageType().equals(GROUP) ? message.get(COUNTS) : message;
        }
        return value;
    }

    /** The reverse of {@link #simplify}, but for numbers, which Protocol Buffers reads. */
    private static JsonElement expand(JsonElement value, FieldDescriptor field) {
        if (field.getJavaType() == JavaType.MESSAGE && value instanceof JsonObject message) {
            if (field.getMessageType().equals(GROUP)) {
                JsonObject group = new JsonObject();
                group.add(COUNTS, message);
                return group;
            }
            convert(message, field.getMessageType(), ProgressJson::expand);
        }
        return value;
    }

    /** Of the message of its kind, with the kind's name. */
    public static JsonObject of(Progress.Event event) {
        JsonObject json = new JsonObject();
        event.getAllFields()
                .forEach(
                        (kind, message) -> {
                            json.addProperty(EVENT, kind.getJsonName());
                            of((Message) message).asMap().forEach(json::add);
                        });
        return json;
    }

    /** What kind of event this is: the value of {@code event}. */
    public static String name(Progress.Event event) {
        return event.getAllFields().keySet().iterator().next().getJsonName();
    }

    /** INVALID_ARGUMENT if it is not an event. */
    public static Progress.Event event(String line) {
        try {
            JsonObject json = JsonParser.parseString(line).getAsJsonObject();
            String name = json.get(EVENT).getAsString();
            for (FieldDescriptor kind : Progress.Event.getDescriptor().getFields()) {
                if (kind.getJsonName().equals(name)) {
                    Progress.Event.Builder event = Progress.Event.newBuilder();
                    Message.Builder message = event.newBuilderForField(kind);
                    event.setField(kind, parse(json, message).build());
                    EventMessages.requireValid(event.build());
                    return event.build();
                }
            }
            throw PetrichorException.invalid("not a job event: {name}", "name", name);
        } catch (RuntimeException wrong) {
            throw PetrichorException.invalid(
                    "not a job event: {reason}", "reason", wrong.getMessage());
        }
    }

    /** Ignores unknown members. Failures are unchecked, of any class. */
    static <B extends Message.Builder> B parse(JsonObject json, B into) {
        try {
            JsonObject expanded = json.deepCopy();
            convert(expanded, into.getDescriptorForType(), ProgressJson::expand);
            PARSER.merge(expanded.toString(), into);
            return into;
        } catch (InvalidProtocolBufferException e) {
            throw new JsonParseException(e.getMessage(), e);
        }
    }

    /** As {@link #parse(JsonObject, Message.Builder)}, but refuses unknown members. */
    static <B extends Message.Builder> B parseStrictly(JsonObject json, B into) {
        requireKnown(json, into.getDescriptorForType());
        return parse(json, into);
    }

    private static void requireKnown(JsonObject json, Descriptor type) {
        List<String> known = type.getFields().stream().map(FieldDescriptor::getJsonName).toList();
        for (String name : json.keySet()) {
            if (!known.contains(name)) {
                throw PetrichorException.invalid(
                        "\"{name}\" is unknown in a {message}; did you mean \"{nearest}\"?",
                        "name",
                        name,
                        "message",
                        type.getName().toLowerCase(Locale.ROOT),
                        "nearest",
                        NearestName.of(name, known).orElse(""));
            }
        }
        for (FieldDescriptor field : type.getFields()) {
            JsonElement value = json.get(field.getJsonName());
            if (field.getJavaType() == JavaType.MESSAGE
                    && !field.isRepeated()
                    && value instanceof JsonObject message) {
                requireKnown(message, field.getMessageType());
            }
        }
    }
}
