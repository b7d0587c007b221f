/**
 * @file bullet_shape.h
 * @brief A body as Bullet's collision shape, by the exact support function, and its place.
 */
#ifndef OVOID_BENCH_BULLET_SHAPE_H
#define OVOID_BENCH_BULLET_SHAPE_H

#include "peers.h"

#include <BulletCollision/CollisionShapes/btConvexInternalShape.h>

namespace bullet_peer {

class ExactShape : public btConvexInternalShape {
  public:
    explicit ExactShape(const peer_body &body, btScalar margin = 0) : body_(body) {
        m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
        m_collisionMargin = margin;
    }
    btVector3 localGetSupportingVertexWithoutMargin(const btVector3 &dir) const override {
        ov_support s = {0.0, {0.0, 0.0, 0.0}};
        const ov_vec3 direction = {dir.x(), dir.y(), dir.z()};
        body_.support(body_.shape, direction, &s);
        return btVector3(btScalar(s.point.x), btScalar(s.point.y), btScalar(s.point.z));
    }
    btVector3 localGetSupportingVertex(const btVector3 &dir) const override {
        const btVector3 point = localGetSupportingVertexWithoutMargin(dir);
        return m_collisionMargin > 0 ? point + dir.normalized() * m_collisionMargin : point;
    }
    void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3 *dirs, btVector3 *out,
                                                           int count) const override {
        for (int i = 0; i < count; i++) {
            out[i] = localGetSupportingVertexWithoutMargin(dirs[i]);
        }
    }
    void calculateLocalInertia(btScalar, btVector3 &inertia) const override {
        inertia.setValue(0, 0, 0);
    }
    btScalar getMargin() const override { return m_collisionMargin; }
    const char *getName() const override { return "exact support"; }

  private:
    peer_body body_;
};

inline btVector3 vector_of(ov_vec3 v) {
    return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z));
}

inline btTransform pose_of(const peer_body &body) {
    const ov_mat3 &r = body.rotation;
    return btTransform(btMatrix3x3(btScalar(r.cx.x), btScalar(r.cy.x), btScalar(r.cz.x),
                                   btScalar(r.cx.y), btScalar(r.cy.y), btScalar(r.cz.y),
                                   btScalar(r.cx.z), btScalar(r.cy.z), btScalar(r.cz.z)),
                       vector_of(body.position));
}

} // namespace bullet_peer

#endif
