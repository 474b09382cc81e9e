internal import CLibsecret

/// libsecret's class for the service, on a connection of one's own.
///
/// libsecret's constructor overwrites what it was given: it always takes the shared connection of the process, which
/// GLib finds by itself, and may start a bus for. The constructor of this subclass puts back what was given.
enum ServiceProxy {
    /// The subclass's type.
    static let type: Int = {
        let name = "KeyfobSecretService"
        let functions = unsafe Libsecret.functions
        let known = unsafe functions.pointee.g_type_from_name(name)
        guard known == 0 else { return known }
        var parent = unsafe _GTypeQuery()
        unsafe functions.pointee.g_type_query(functions.pointee.secret_service_get_type(), &parent)
        return unsafe functions.pointee.g_type_register_static_simple(
            parent.type, name, parent.class_size,
            { pointer, _ in
                unsafe pointer.assumingMemoryBound(to: libsecret_object_class.self).pointee.constructor = construct
            }, parent.instance_size, nil, 0)
    }()

    private static let construct: libsecret_construct = { type, count, properties in
        let functions = unsafe Libsecret.functions
        let parent = unsafe functions.pointee.g_type_class_peek(functions.pointee.secret_service_get_type())
            .assumingMemoryBound(to: libsecret_object_class.self)
        let object = unsafe parent.pointee.constructor(type, count, properties)
        for index in 0..<Int(count) {
            let property = unsafe properties[index]
            let name = unsafe functions.pointee.g_param_spec_get_name(property.pspec)
            guard unsafe ["g-bus-type", "g-flags", "g-name"].contains(String(cString: name)) else { continue }
            unsafe functions.pointee.g_object_set_property(object, name, property.value)
        }
        return unsafe object
    }
}
