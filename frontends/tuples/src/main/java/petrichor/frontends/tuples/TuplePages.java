package petrichor.frontends.tuples;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import petrichor.frontends.http.ApiMethod;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.RestApi;

/** The REST binding, in JSON, of the methods of this front end, and its description. Stateless. */
final class TuplePages {
    private static final String COLLECTIONS =
            "/petrichor/v1/projects/{project}/databases/{database}/collections";
    private static final String COLLECTION = COLLECTIONS + "/{collection}";
    private static final String OPEN_API = "/petrichor/v1/tuples/openapi.json";

    private final TupleMethods methods;
    private final RestApi rest;

    TuplePages(TupleMethods methods, RestApi rest) {
        this.methods = methods;
        this.rest = rest;
    }

    List<Endpoint<?, ?>> endpoints() {
        TupleMethods.OfCollections collections = methods.collections();
        TupleMethods.OfTuples tuples = methods.tuples();
        return List.of(
                endpoint("GET", COLLECTIONS, collections.list()),
                endpoint("POST", COLLECTIONS, collections.create()),
                endpoint("GET", COLLECTION, collections.get()),
                endpoint("DELETE", COLLECTION, collections.drop()),
                endpoint("POST", COLLECTION + ":place", collections.changePlacement()),
                endpoint("POST", COLLECTION + ":cancelPlacement", collections.cancelPlacement()),
                endpoint("POST", COLLECTION + ":assignGroups", collections.assignGroups()),
                endpoint("POST", COLLECTION + ":advise", collections.advice().advise()),
                endpoint("POST", COLLECTION + ":applyAdvice", collections.advice().apply()),
                endpoint("POST", COLLECTION + ":write", tuples.write()),
                endpoint("POST", COLLECTIONS + ":write", tuples.write()),
                endpoint("POST", COLLECTION + ":get", tuples.get()),
                endpoint("POST", COLLECTION + ":range", tuples.range()),
                endpoint("POST", COLLECTION + ":find", tuples.find()),
                endpoint("POST", COLLECTION + ":deleteByTags", tuples.deleteByTags()));
    }

    List<Page> pages() {
        List<Page> pages = new ArrayList<>();
        endpoints().forEach(endpoint -> pages.add(endpoint.page(rest)));

        pages.add(
                new Page(
                        "GET",
                        OPEN_API,
                        Page.Access.OPEN,
                        Page.Lane.HEALTH,
                        _ -> Page.Answer.json(200, OpenApi.document(endpoints()) + "\n")));
        return pages;
    }

    private static <Q extends Message, R extends Message> Endpoint<Q, R> endpoint(
            String httpMethod, String path, ApiMethod<Q, R> method) {
        return new Endpoint<>(httpMethod, path, method, request -> message(request, method));
    }

    /** The body, with the parameters of the path. */
    // a builder of an instance builds the type of the instance
    @SuppressWarnings("unchecked")
    private static <Q extends Message> Q message(Page.Request request, ApiMethod<Q, ?> method) {
        Message.Builder message = RestApi.body(request, method.request().newBuilderForType());
        for (Map.Entry<String, String> parameter : request.inPath().entrySet()) {
            FieldDescriptor field =
                    message.getDescriptorForType().findFieldByName(parameter.getKey());
            boolean database = parameter.getKey().equals("database");
            message.setField(field, database ? RestApi.database(request) : parameter.getValue());
        }
        return (Q) message.build();
    }
}
