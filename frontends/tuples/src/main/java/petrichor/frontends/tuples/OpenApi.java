package petrichor.frontends.tuples;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import petrichor.frontends.http.PathTemplate;

/**
 * The OpenAPI 3.0 document of endpoints, from the descriptors of their messages, so that it cannot
 * differ from what the server does.
 */
final class OpenApi {
    private static final String REFERENCE = "#/components/schemas/";

    private final Map<String, Descriptor> schemas = new TreeMap<>();

    private OpenApi() {}

    static JsonObject document(List<Endpoint<?, ?>> endpoints) {
        return new OpenApi().of(endpoints);
    }

    private JsonObject of(List<Endpoint<?, ?>> endpoints) {
        JsonObject paths = new JsonObject();
        for (Endpoint<?, ?> endpoint : endpoints) {
            if (!paths.has(endpoint.path())) {
                paths.add(endpoint.path(), new JsonObject());
            }
            paths.getAsJsonObject(endpoint.path())
                    .add(
                            endpoint.httpMethod().toLowerCase(java.util.Locale.ROOT),
                            operation(endpoint));
        }
        JsonObject info = new JsonObject();
        info.addProperty("title", "Petrichor tuples");
        info.addProperty("version", "v1");
        JsonObject document = new JsonObject();
        document.addProperty("openapi", "3.0.3");
        document.add("info", info);
        document.add("paths", paths);
        document.add("components", components());
        JsonObject bearer = new JsonObject();
        bearer.add("token", new JsonArray());
        JsonArray security = new JsonArray();
        security.add(new JsonObject());
        security.add(bearer);
        document.add("security", security);
        return document;
    }

    private JsonObject operation(Endpoint<?, ?> endpoint) {
        Descriptor request = endpoint.method().request().getDescriptorForType();
        Descriptor response = endpoint.method().response().getDescriptorForType();
        schemas.put(response.getName(), response);
        JsonObject operation = new JsonObject();
        String name = endpoint.method().name();
        String id = name.substring(name.indexOf('/') + 1);
        boolean several = endpoint.path().endsWith("collections:write");
        operation.addProperty("operationId", several ? id + "Collections" : id);
        JsonArray parameters = new JsonArray();
        List<String> inPath = PathTemplate.of(endpoint.path()).names();
        for (String parameter : inPath) {
            JsonObject json = new JsonObject();
            json.addProperty("name", parameter);
            json.addProperty("in", "path");
            json.addProperty("required", true);
            json.add("schema", type("string", ""));
            if (parameter.equals("database")) {
                json.addProperty("description", "(default) for the default database");
            }
            parameters.add(json);
        }
        operation.add("parameters", parameters);
        if (endpoint.httpMethod().equals("POST")) {
            JsonObject body = object(request, inPath);
            operation.add("requestBody", content(body));
        }
        JsonObject ok = content(reference(response));
        ok.addProperty("description", "OK");
        JsonObject failed = content(failure());
        failed.addProperty("description", "The call failed.");
        JsonObject responses = new JsonObject();
        responses.add("200", ok);
        responses.add("default", failed);
        operation.add("responses", responses);
        return operation;
    }

    private static JsonObject content(JsonObject schema) {
        JsonObject media = new JsonObject();
        media.add("schema", schema);
        JsonObject content = new JsonObject();
        content.add("application/json", media);
        JsonObject all = new JsonObject();
        all.add("content", content);
        return all;
    }

    private static JsonObject failure() {
        JsonObject fields = new JsonObject();
        fields.add("code", type("integer", ""));
        fields.add("message", type("string", ""));
        fields.add("status", type("string", ""));
        JsonObject error = type("object", "");
        error.add("properties", fields);
        JsonObject outer = new JsonObject();
        outer.add("error", error);
        JsonObject failure = type("object", "");
        failure.add("properties", outer);
        return failure;
    }

    private JsonObject components() {
        JsonObject all = new JsonObject();
        Deque<Descriptor> open = new ArrayDeque<>(schemas.values());
        while (!open.isEmpty()) {
            Descriptor message = open.remove();
            int known = schemas.size();
            all.add(message.getName(), object(message, List.of()));
            if (schemas.size() > known) {
                schemas.values().stream().filter(one -> !all.has(one.getName())).forEach(open::add);
            }
        }
        JsonObject bearer = type("http", "");
        bearer.addProperty("scheme", "bearer");
        JsonObject schemes = new JsonObject();
        schemes.add("token", bearer);
        JsonObject components = new JsonObject();
        components.add("schemas", all);
        components.add("securitySchemes", schemes);
        return components;
    }

    private JsonObject object(Descriptor message, List<String> without) {
        JsonObject fields = new JsonObject();
        for (FieldDescriptor field : message.getFields()) {
            if (!without.contains(field.getName())) {
                fields.add(field.getJsonName(), schema(field));
            }
        }
        JsonObject object = type("object", "");
        object.add("properties", fields);
        return object;
    }

    private JsonObject schema(FieldDescriptor field) {
        if (field.isMapField()) {
            JsonObject map = type("object", "");
            map.add(
                    "additionalProperties",
                    single(field.getMessageType().findFieldByName("value")));
            return map;
        }
        if (!field.isRepeated()) {
            return single(field);
        }
        JsonObject list = type("array", "");
        list.add("items", single(field));
        return list;
    }

    private JsonObject single(FieldDescriptor field) {
        return switch (field.getJavaType()) {
            case INT -> type("integer", "int32");
            // JSON's numbers lose digits; protobuf's JSON has 64-bit numbers as strings.
            case LONG -> type("string", "int64");
            case FLOAT, DOUBLE -> type("number", "double");
            case BOOLEAN -> type("boolean", "");
            case STRING -> type("string", "");
            case BYTE_STRING -> type("string", "byte");
            case ENUM -> {
                JsonArray values = new JsonArray();
                for (EnumValueDescriptor value : field.getEnumType().getValues()) {
                    values.add(value.getName());
                }
                JsonObject schema = type("string", "");
                schema.add("enum", values);
                yield schema;
            }
            case MESSAGE -> {
                schemas.put(field.getMessageType().getName(), field.getMessageType());
                yield reference(field.getMessageType());
            }
        };
    }

    private static JsonObject reference(Descriptor message) {
        JsonObject reference = new JsonObject();
        reference.addProperty("$ref", REFERENCE + message.getName());
        return reference;
    }

    private static JsonObject type(String type, String format) {
        JsonObject schema = new JsonObject();
        schema.addProperty("type", type);
        if (!format.isEmpty()) {
            schema.addProperty("format", format);
        }
        return schema;
    }
}
